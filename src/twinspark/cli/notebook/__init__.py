"""`%load_ext twinspark`: SQL cells in Jupyter, VS Code and Colab, with the engine of each and charts."""
