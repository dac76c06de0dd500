import { flushCompileCache } from 'node:module'
import { startServer } from '../src/main.ts'
import { loadConfig } from '../src/platform/config/load.ts'

/** The service as a program of its own, configured by its environment. Ends with whoever started it, and on SIGTERM. */
process.once('disconnect', () => process.exit(1))
const server = await startServer(loadConfig({ cwd: process.cwd(), env: process.env }), { hasOneTenant: true })
process.once('SIGTERM', async () => {
  await server.stop()
  process.exit(0)
})
process.send?.('ready')
flushCompileCache() // not at its end, which it seldom comes to
