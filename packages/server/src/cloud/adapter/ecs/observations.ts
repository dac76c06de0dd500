import { DescribeServiceDeploymentsCommand, type ECSClient, type ServiceDeployment } from '@aws-sdk/client-ecs'
import { ask, CloudRefusal } from '../answer.ts'

/** What the cloud shows of a service deployment, or why it does not. */
type Shown = { found: ServiceDeployment } | { missing: string }

type Asker = { arn: string; tell: (shown: Shown) => void; fail: (error: unknown) => void }

/** So many are described in a call ("DescribeServiceDeployments" in the API reference, read 2026-11). */
const mostAtOnce = 20

/** How long the first waits for others that are asked for at the same time. Milliseconds. */
const gatherMs = 5

/** Who waits to be asked for, by the client: that is, of one account in one region. */
const gathering = new WeakMap<ECSClient, Asker[]>()

/** A service deployment; those that are asked for at the same time share a call. */
export function describeServiceDeployment(ecs: ECSClient, arn: string): Promise<Shown> {
  return new Promise((tell, fail) => {
    const others = gathering.get(ecs) ?? []
    others.push({ arn, tell, fail })
    if (others.length === mostAtOnce) send(ecs, others)
    if (others.length > 1) return
    gathering.set(ecs, others)
    setTimeout(() => send(ecs, others), gatherMs)
  })
}

function send(ecs: ECSClient, askers: Asker[]): void {
  if (gathering.get(ecs) !== askers) return // they were so many that they did not wait
  gathering.delete(ecs)
  void describe(ecs, askers)
}

/** A refusal may be about one of them: then each is asked for alone. */
async function describe(ecs: ECSClient, askers: Asker[]): Promise<void> {
  try {
    const serviceDeploymentArns = [...new Set(askers.map(({ arn }) => arn))]
    const command = new DescribeServiceDeploymentsCommand({ serviceDeploymentArns })
    const { serviceDeployments = [], failures = [] } = await ask(() => ecs.send(command))
    const found = new Map(serviceDeployments.map((one) => [one.serviceDeploymentArn, one]))
    const reasons = new Map(failures.map(({ arn, reason }) => [arn, reason]))
    for (const { arn, tell } of askers) {
      const one = found.get(arn)
      tell(one ? { found: one } : { missing: reasons.get(arn) ?? 'MISSING' })
    }
  } catch (error) {
    if (error instanceof CloudRefusal && askers.length > 1) for (const one of askers) void describe(ecs, [one])
    else for (const { fail } of askers) fail(error)
  }
}
