"""What the daemon serves for letters: the list, previews, pictures, and the page that verifies one."""
