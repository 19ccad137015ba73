-- Health of SeiNodes, SeiNodeDeployments and SeiNodeTasks for Argo CD; docs/gitops.md says where it goes.
local function condition(type)
  for _, it in ipairs((obj.status or {}).conditions or {}) do
    -- A condition of an older spec does not count.
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
local paused, reconciling = condition("Paused"), condition("Reconciling")

if stalled.status == "True" then
  return health("Degraded", stalled)
end
-- A node that stopped for a snapshot, or is down while rollouts are paused, comes back by itself.
if paused.status == "True" and (ready.status == "True" or reconciling.status ~= "True") then
  return health("Suspended", paused)
end
-- Only another spec, or a person, ends these.
if upToDate.reason == "ImageBehindUpgrade" or upToDate.reason == "ServiceConflict" then
  return health("Degraded", upToDate)
end
-- It waits on purpose: for a person who works on its volume, or for the image of its chain's upgrade.
if ready.reason == "Held" or (upToDate.status == "True" and ready.reason == "HaltedAtUpgrade") then
  return health("Suspended", ready)
end
if reconciling.status == nil then
  return { status = "Progressing", message = "the operator has not reconciled it yet" }
end
if reconciling.status == "False" and ready.status == "True" then
  return health("Healthy", ready)
end
return health("Progressing", reconciling.status == "True" and reconciling or ready)
