"""How the embedded models were trained: scripts that anyone can run again."""
