import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { CallLog } from './calls.ts'
import { type ProgramTable, programs } from './ecs/programs.ts'
import { faults } from './faults.ts'
import { Buckets } from './rates.ts'
import { createSimServer } from './server.ts'
import { services } from './services.ts'
import { World } from './world.ts'

export interface SimOptions {
  stateFile: string
  host: string
  port: number
  speed: number
  /** Start time of timestamps that run at `speed`; by default they are real. Only for a new state. */
  epochMs?: number | undefined
  /** If set, the operator's signatures are verified as well. */
  operatorSecret?: string | undefined
  /** Images whose tasks are local processes, with their programs. */
  programs?: ProgramTable
  /** For tests of this package: turns responses that violate their model into errors. */
  checksAnswers?: boolean | undefined
}

/** Opens the state file and starts the server. `stop` writes pending changes and closes everything. */
export async function startSimulation({
  stateFile,
  host,
  port,
  speed,
  epochMs,
  operatorSecret,
  programs: table = {},
  checksAnswers = false,
}: SimOptions) {
  const parts = [faults, ...Object.values(services).map(({ open }) => open)]
  const world = new World(stateFile, { speed, epochMs }, parts)
  const server = createSimServer({
    world,
    calls: new CallLog(world.store),
    operatorSecret,
    buckets: new Buckets(),
    checksAnswers,
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: actual } = server.address() as AddressInfo
  const url = `http://${host}:${actual}`
  Object.assign(programs(world), { table, url })
  const stop = () => {
    server.close()
    server.closeAllConnections()
    world.close()
  }
  return { url, stop }
}
