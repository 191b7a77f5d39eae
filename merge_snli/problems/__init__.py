"""Problems: NLI data of any source, read, checked and given ids."""
