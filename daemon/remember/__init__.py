"""remember"""
