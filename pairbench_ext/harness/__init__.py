"""The only part that touches lmms-eval: plugin, documents, hooks, rounds, task files.

Other rooms use:

    hooks                    the functions that task files name
    plugin, on_import        the entry point; functions that run when lmms-eval is imported
    task_files               the folder of task files, and writing them
    documents                trials as documents; documents of logged samples
    rounds, llm_judge        requests in rounds; a language model as judge
"""
