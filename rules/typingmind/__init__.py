"""typingmind"""
