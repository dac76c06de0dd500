import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { hasParameter, hasSecret } from '../../../cloud/adapter/ecs/release-facts.ts'
import { readFact } from '../facts.ts'
import { type CheckResult, checkFact, combined, type Finding } from '../findings.ts'
import { containerPath, type TaskDefinition } from './task-definition.ts'

/** Secret or parameter that a container receives, and its path in the task definition. */
export type SecretReference = { valueFrom: string; path: string }

/** Returns the secrets and parameters that a task definition names. */
export const secretsOf = ({ containerDefinitions = [] }: TaskDefinition): SecretReference[] =>
  containerDefinitions.flatMap(({ secrets = [], repositoryCredentials, logConfiguration }, index) => {
    const at = (name: string) => containerPath(index, name)
    const credentials = repositoryCredentials?.credentialsParameter
    return [
      ...secrets.map(({ valueFrom = '' }, place) => ({ valueFrom, path: at(`secrets[${place}].value_from`) })),
      ...(logConfiguration?.secretOptions ?? []).map(({ valueFrom = '' }, place) => ({
        valueFrom,
        path: at(`log_configuration.secret_options[${place}].value_from`),
      })),
      ...(credentials ? [{ valueFrom: credentials, path: at('repository_credentials.credentials_parameter') }] : []),
    ]
  })

export type SecretPlace = { service: 'secretsmanager' | 'ssm'; id: string; region?: string; account?: string }

/** Parses a reference to a secret in a task definition ("Pass sensitive data", ECS developer guide, read 2026-11). */
export function placeOfSecret(valueFrom: string): SecretPlace {
  const [prefix, , service, region = '', account = '', resource = ''] = valueFrom.split(':')
  if (prefix !== 'arn') return { service: 'ssm', id: valueFrom }
  // The ARN of a secret can be followed by a JSON key, a stage and a version.
  if (service === 'secretsmanager') return { service, region, account, id: valueFrom.split(':').slice(0, 7).join(':') }
  const name = resource.replace('parameter/', '')
  // In an ARN, the slash before the name is also the leading slash of a hierarchical name.
  return { service: 'ssm', region, account, id: name.includes('/') ? `/${name}` : name }
}

/** Checks that the secrets and parameters of a task definition exist. Values are not read. */
export async function checkSecrets(
  clients: CloudClients,
  definition: TaskDefinition,
  here: { region: string; account: string },
): Promise<CheckResult> {
  const checks = secretsOf(definition).map(async ({ valueFrom, path }) => {
    const place = placeOfSecret(valueFrom)
    const about = { code: 'SECRET_MISSING', subject: `the secret ${valueFrom}`, path } as const
    const elsewhere = whereElse(place, here)
    if (elsewhere !== undefined) {
      return checkFact(about, { unread: { reason: `It is in the ${elsewhere}.` } }, () => [])
    }
    const fact =
      place.service === 'secretsmanager'
        ? await readFact('secretsmanager:DescribeSecret', () => hasSecret(clients, place.id))
        : await readFact('ssm:DescribeParameters', () => hasParameter(clients, place.id))
    return checkFact(about, fact, (isThere) => (isThere ? [] : [missingSecret(place.service, valueFrom, path)]))
  })
  return combined(await Promise.all(checks))
}

const missingSecret = (service: 'secretsmanager' | 'ssm', valueFrom: string, path: string): Finding => ({
  severity: 'ERROR',
  code: 'SECRET_MISSING',
  path,
  message: `The ${service === 'ssm' ? 'parameter' : 'secret'} ${valueFrom} does not exist, so no task starts.`,
  remedy: 'Create it, or correct its name.',
})

/** Returns where a secret is if that differs from the region and account that the clients read. */
function whereElse(place: SecretPlace, here: { region: string; account: string }): string | undefined {
  const { region = here.region, account = here.account } = place
  if (account !== here.account) return `account ${account}`
  return region === here.region ? undefined : `region ${region}`
}
