"""Dies right after every successful start."""

import os

import speak


def list_and_die(request):
    speak.answer(request, {"tools": []})
    os._exit(4)


speak.serve(lambda _: None, tools_list=list_and_die)
