import { readServiceNetwork, readServiceSettings } from '../../../cloud/adapter/ecs/release-facts.ts'
import { readService } from '../../../cloud/adapter/ecs/services.ts'
import type { ServiceSettings } from '../../../cloud/facts/release-parts.ts'
import type { EcsRelease } from '../../deployments/types/ecs/release.ts'
import type { CheckedAccount } from '../checked-account.ts'
import { checkExisting, existingResourceOf, readExisting } from '../existing.ts'
import { readFact } from '../facts.ts'
import { type CheckResult, checkFact, combined, passed, resultWithFindings } from '../findings.ts'
import { checkPermissions } from '../granted-permissions.ts'
import { checkRoles } from '../roles.ts'
import { checkTaskDefinition } from './check-task-definition.ts'
import { checkFargateSize } from './fargate-size.ts'
import { checkNetwork } from './network.ts'
import { passedRolesOf } from './passed-roles.ts'
import { requiredPermissions } from './permissions.ts'
import { checkRunningService } from './running-service.ts'
import { taskDefinitionOf } from './task-definition.ts'

const path = 'deploy.infrastructure.ecs_service_arn'
const remedy = 'Create the service and its cluster, or correct their ARNs.'

/** The cloud's names of the errors for a missing service or cluster. */
const notFound = ['ServiceNotFoundException', 'ClusterNotFoundException']

/** Checks a release to a container service. */
export async function checkService(checked: CheckedAccount, release: EcsRelease): Promise<CheckResult> {
  const { clients, roleArn, now } = checked
  const { region, serviceArn } = release
  const account = serviceArn.split(':')[4] ?? ''
  const definition = taskDefinitionOf(release)
  const roles = passedRolesOf(release, definition)
  const settings = await readExisting('ecs:DescribeServices', notFound, () => readServiceSettings(clients, release))
  const known = existingResourceOf(settings)
  const isFargate = known?.isFargate === true
  const parts = await Promise.all([
    checkExisting({ code: 'SERVICE_MISSING', subject: 'the service', path, remedy }, settings),
    known ? checkServiceParts(checked, release, known) : passed,
    definition ? resultWithFindings(...checkFargateSize(definition, isFargate)) : passed,
    definition ? checkTaskDefinition(clients, definition, { region, account, now, isFargate }) : passed,
    checkRoles(clients, roles, account),
    checkPermissions(clients, roleArn, requiredPermissions({ release, definition, roles })),
  ])
  return combined(parts)
}

/** Checks what runs, and the network that the tasks start in. */
async function checkServiceParts(
  { clients, now }: CheckedAccount,
  release: EcsRelease,
  settings: ServiceSettings,
): Promise<CheckResult> {
  const [service, network] = await Promise.all([
    readFact('ecs:ListServiceDeployments', () => readService(clients.ecs, release, now)),
    settings.subnetIds.length > 0
      ? readFact('ec2:DescribeSubnets and ec2:DescribeSecurityGroups', () => readServiceNetwork(clients, settings))
      : undefined,
  ])
  return combined([
    'value' in service
      ? await checkRunningService(clients, release, service.value)
      : checkFact({ code: 'SERVICE_NOT_SUPPORTED', subject: 'the configuration of the service' }, service, () => []),
    network
      ? checkFact({ code: 'NETWORK_MISSING', subject: 'the network of the service' }, network, (reading) =>
          checkNetwork(release, settings, reading),
        )
      : passed,
  ])
}
