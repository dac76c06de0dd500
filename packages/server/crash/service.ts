import { flushCompileCache } from 'node:module'
import { startServer } from '../src/main.ts'
import { loadConfig } from '../src/platform/config/load.ts'

/** Runs the service as a program, configured by its environment. Ends with its parent process, and on SIGTERM. */
process.once('disconnect', () => process.exit(1))
const server = await startServer(loadConfig({ cwd: process.cwd(), env: process.env }), { hasOneTenant: true })
process.once('SIGTERM', async () => {
  await server.stop()
  process.exit(0)
})
process.send?.('ready')
flushCompileCache() // not at its exit, which a kill usually prevents
