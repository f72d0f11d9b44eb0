"""How the replies of MLLM-as-a-Judge are read, where no other benchmark asks for such."""
