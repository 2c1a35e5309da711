-- Sends the requests of a file in turn, and prints the outcome as JSON.

local requests = {}
local last = 0
local pause = 0

function init(args)
  pause = tonumber(args[2])
  local file = assert(io.open(args[1], "rb"))
  for request in file:read("*a"):gmatch("(%Z+)%z") do
    requests[#requests + 1] = request
  end
  file:close()
end

function request()
  last = last % #requests + 1
  return requests[last]
end

-- Milliseconds before each request of a connection.
function delay()
  return pause
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%f,"p50":%d,"p99":%d,"errorStatuses":%d,"failures":{"connect":%d,"read":%d,"write":%d,"timeout":%d}}',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), errors.status, errors.connect, errors.read, errors.write, errors.timeout))
end
