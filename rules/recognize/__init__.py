"""recognize"""
