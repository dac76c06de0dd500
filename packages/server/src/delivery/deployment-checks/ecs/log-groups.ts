import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { hasLogGroup } from '../../../cloud/adapter/ecs/release-facts.ts'
import { type Fact, readFact } from '../facts.ts'
import { type CheckResult, checkFact, combined } from '../findings.ts'
import { containerPath, type TaskDefinition } from './task-definition.ts'

/** Checks that the log groups of containers exist, except those that a container creates itself. */
export async function checkLogGroups(
  clients: CloudClients,
  { containerDefinitions = [] }: TaskDefinition,
  { region, now }: { region: string; now: Date },
): Promise<CheckResult> {
  const checks = containerDefinitions.map(async ({ logConfiguration }, index) => {
    const { logDriver, options = {} } = logConfiguration ?? {}
    const name = options['awslogs-group']
    const createsGroup = options['awslogs-create-group'] === 'true'
    if (logDriver !== 'awslogs' || name === undefined || createsGroup) return combined([])
    const path = containerPath(index, 'log_configuration.options.awslogs-group')
    const groupRegion = options['awslogs-region'] ?? region
    const fact: Fact<boolean> =
      groupRegion === region
        ? await readFact('logs:FilterLogEvents', () => hasLogGroup(clients, name, now))
        : { unread: { reason: `It is in the region ${groupRegion}.` } }
    return checkFact({ code: 'LOG_GROUP_MISSING', subject: `the log group ${name}`, path }, fact, (isThere) =>
      isThere
        ? []
        : [
            {
              severity: 'ERROR',
              code: 'LOG_GROUP_MISSING',
              path,
              message: `The log group ${name} does not exist, so no task starts.`,
              remedy: 'Create it, or set the option awslogs-create-group to "true".',
            },
          ],
    )
  })
  return combined(await Promise.all(checks))
}
