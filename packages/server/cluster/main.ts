import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canary, pausingBeforeShifts } from '../src/testing/strategies.ts'
import type { World } from '../src/testing/world.ts'
import { startCluster } from './cluster.ts'

/**
 * `npm run cluster`: starts a cluster on this machine until Ctrl-C and prints its processes, so that you can kill and
 * freeze them.
 */
const directory = await mkdtemp(join(tmpdir(), 'sluice-cluster-'))
console.log(`Starting in ${directory}; a minute or so.`)
const { apiUrl, parts, postgres, people, stop } = await startCluster({ directory, speed: 60, people: settle })

const say = (...columns: unknown[]) => console.log(columns.map((one) => String(one).padEnd(24)).join(''))
console.log(`\nConsole and API: ${apiUrl}/console/`)
console.log(`Key of the owner: ${people.token}`)
console.log(`Module instance to release to: ${people.moduleInstanceId}`)
console.log(`Logs: ${directory}\n`)
say('process', 'pid')
for (const { name, pid } of parts) say(name, pid())
say(postgres.primary.name, `${postgres.primary.process.pid} takes writes`)
say(postgres.standby.name, `${postgres.standby.process.pid} follows`)
console.log('\nkill -9, kill -STOP and kill -CONT as you like: who dies is started again.')
console.log('SIGUSR1 to this process, or Enter: PostgreSQL dies, and its standby takes over. Ctrl-C: all of it ends.')

let isFailingOver = false
const failOver = async () => {
  if (isFailingOver) return
  isFailingOver = true
  await postgres.failOver()
  isFailingOver = false
  console.log(`${postgres.primary.name} takes writes now, ${postgres.standby.name} follows`)
}
process.on('SIGUSR1', failOver)
process.stdin.on('data', failOver)
const end = async () => {
  process.stdin.destroy()
  await stop()
  await rm(directory, { recursive: true, force: true })
  process.exit(0)
}
process.once('SIGINT', end)
process.once('SIGTERM', end)

async function settle(world: World) {
  const organization = await world.organization()
  const { moduleInstanceId } = await organization.service(pausingBeforeShifts(canary))
  return { token: organization.client.token, moduleInstanceId }
}
