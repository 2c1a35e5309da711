-- Sends the requests of a file in turn, and prints the outcome as JSON.

local requests = {}
local last = 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  for request in file:read("*a"):gmatch("(.-\r\n\r\n)") do
    requests[#requests + 1] = request
  end
  file:close()
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%f,"errorStatuses":%d,"failures":{"connect":%d,"read":%d,"write":%d,"timeout":%d}}',
    summary.requests, summary.duration / 1e6, errors.status, errors.connect, errors.read, errors.write, errors.timeout))
end
