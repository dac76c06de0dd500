import { text } from 'node:stream/consumers'
import { failures, type RehearsalScenario } from '@sluice/contract'
import type { RehearsalJob, RehearsalOutput, RequestedScenario } from '@sluice/server/delivery/rehearsals/job'
import { rejectConnections } from './no-network.ts'

// Called before the release code is loaded, which could open connections.
rejectConnections()
const { rehearseScenario } = await import('./rehearse.ts')
const { assumptionsOf } = await import('./assumptions.ts')

const job = JSON.parse(await text(process.stdin)) as RehearsalJob
const scenarios: RehearsalScenario[] = []
for (const requested of job.scenarios) {
  scenarios.push(await rehearseScenario(job, requested).catch((error: Error) => failedScenario(requested, error)))
}
const output: RehearsalOutput = { scenarios, assumptions: assumptionsOf(job) }
process.stdout.write(JSON.stringify(output))

/** Returns the result of a scenario that threw an error. The other scenarios still run. */
function failedScenario(requested: RequestedScenario, { message }: Error): RehearsalScenario {
  const error = { code: failures.rehearsalFailed.code, message: `The scenario could not be rehearsed: ${message}` }
  return { ...(typeof requested === 'string' ? { name: requested } : requested), status: 'ERROR', error, timeline: [] }
}
