-- Health of SeiNodes and SeiNodeDeployments for Argo CD; docs/gitops.md says where it goes.
local function condition(type)
  for _, it in ipairs((obj.status or {}).conditions or {}) do
    -- What was said of an older spec does not count.
    if it.type == type and (it.observedGeneration or 0) >= (obj.metadata.generation or 0) then
      return it
    end
  end
  return {}
end

local function health(status, from)
  return { status = status, message = from.message or from.reason or "" }
end

local ready, upToDate, stalled = condition("Ready"), condition("UpToDate"), condition("Stalled")
local paused = condition("Paused")

if stalled.status == "True" then
  return health("Degraded", stalled)
end
if paused.status == "True" then
  return health("Suspended", paused)
end
-- What only another spec, or a person, ends.
local over = { InvalidSpec = true, RolledBack = true, ImageBehindUpgrade = true, ServiceConflict = true }
-- The phase has no generation; it is written together with the condition Ready.
local failed = (obj.status or {}).phase == "Failed" and ready.status ~= nil
if failed or over[upToDate.reason] then
  return health("Degraded", upToDate.status and upToDate or ready)
end
if upToDate.status == "True" and ready.status == "True" then
  return health("Healthy", ready)
end
-- It waits on purpose: for the image of its chain's upgrade, or for a person who works on its volume.
if ready.reason == "Held" or (upToDate.status == "True" and ready.reason == "HaltedAtUpgrade") then
  return health("Suspended", ready)
end
if upToDate.status == nil then
  return { status = "Progressing", message = "the operator has not reconciled it yet" }
end
return health("Progressing", upToDate.status == "True" and ready or upToDate)
