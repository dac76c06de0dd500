import { text } from 'node:stream/consumers'
import { failures, type RehearsalScenario, type RehearsalScenarioName } from '@sluice/contract'
import type { RehearsalJob, RehearsalOutput } from '@sluice/server/delivery/rehearsals/job'
import { refuseConnections } from './no-network.ts'

// Before the release code is loaded, so that nothing has opened a connection.
refuseConnections()
const { rehearseScenario } = await import('./rehearse.ts')
const { assumptionsOf } = await import('./assumptions.ts')

const job = JSON.parse(await text(process.stdin)) as RehearsalJob
const scenarios: RehearsalScenario[] = []
for (const name of job.scenarios) {
  scenarios.push(await rehearseScenario(job, name).catch((error: Error) => failedScenario(name, error)))
}
const output: RehearsalOutput = { scenarios, assumptions: assumptionsOf(job) }
process.stdout.write(JSON.stringify(output))

/** One scenario that cannot be rehearsed takes nothing from the others. */
function failedScenario(name: RehearsalScenarioName, { message }: Error): RehearsalScenario {
  const error = { code: failures.rehearsalFailed.code, message: `The scenario could not be rehearsed: ${message}` }
  return { name, status: 'ERROR', error, timeline: [] }
}
