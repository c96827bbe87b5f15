-- Opens FILE with the server, waits for a finding, makes the first change that is offered, and waits until there is none.
-- Prints what was found and the file afterwards. Runs in Neovim 0.7 and later, without a configuration.
local server, file = vim.env.VERIFIER, vim.env.FILE
vim.cmd("edit " .. file)
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = "verifier", cmd = { server, "lsp" }, root_dir = vim.fn.fnamemodify(file, ":h") })
vim.lsp.buf_attach_client(buffer, client)

local function fail(what)
  io.stdout:write("failed: " .. what .. "\n")
  vim.cmd("cquit")
end

local function wait(what, ready)
  if not vim.wait(60000, ready, 20) then
    fail(what)
  end
end

wait("no finding", function() return #vim.diagnostic.get(buffer) > 0 end)
local finding = vim.diagnostic.get(buffer)[1]
io.stdout:write(string.format("line %d: %s\n", finding.lnum + 1, finding.code or finding.user_data.lsp.code))

local params = {
  textDocument = { uri = vim.uri_from_bufnr(buffer) },
  range = { start = { line = finding.lnum, character = 0 }, ["end"] = { line = finding.lnum, character = 0 } },
  context = { diagnostics = {} },
}
local answers = vim.lsp.buf_request_sync(buffer, "textDocument/codeAction", params, 60000)
local actions = answers and answers[client] and answers[client].result or {}
if #actions == 0 then
  fail("no action")
end
io.stdout:write("action: " .. actions[1].title .. "\n")
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
wait("the finding is still there", function() return #vim.diagnostic.get(buffer) == 0 end)
vim.cmd("write")
io.stdout:write("mended\n")
vim.lsp.stop_client(client)
vim.cmd("qall!")
