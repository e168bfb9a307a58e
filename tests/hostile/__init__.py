"""What people could write, or have an export say, to make memproc or a model take it for memproc's own words."""
