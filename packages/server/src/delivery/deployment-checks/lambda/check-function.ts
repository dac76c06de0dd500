import { hashOfCode, readAlias } from '../../../cloud/adapter/lambda/functions.ts'
import { type FunctionReading, readFunctionSettings } from '../../../cloud/adapter/lambda/release-facts.ts'
import { readSharing } from '../../../cloud/adapter/lambda/sharing.ts'
import { addressOf } from '../../../cloud/facts/lambda.ts'
import type { RequiredPermission } from '../../../cloud/facts/release-parts.ts'
import { codeToPublish, type LambdaRelease } from '../../deployments/types/lambda/release.ts'
import { usesWeightedRouting, weightedRoutingBlocker } from '../../deployments/types/lambda/sharing.ts'
import type { CheckedAccount } from '../checked-account.ts'
import { checkExisting, existingResourceOf, readExisting } from '../existing.ts'
import { readFact } from '../facts.ts'
import { type CheckResult, checkFact, combined, type Finding, passed } from '../findings.ts'
import { checkPermissions } from '../granted-permissions.ts'
import { checkImage } from '../image.ts'
import { checkRoles } from '../roles.ts'

const notFound = ['ResourceNotFoundException']
const functionPath = 'deploy.infrastructure.function_arn'
const aliasPath = 'deploy.infrastructure.alias_name'

/** Checks a release of a function. */
export async function checkFunction(account: CheckedAccount, release: LambdaRelease): Promise<CheckResult> {
  const { clients, roleArn } = account
  const [settings, alias] = await Promise.all([
    readExisting('lambda:GetFunctionConfiguration', notFound, () => readFunctionSettings(clients.lambda, release)),
    readExisting('lambda:GetAlias', notFound, () => readAlias(clients.lambda, release)),
  ])
  const known = existingResourceOf(settings)
  const version = existingResourceOf(alias)?.version
  const parts = await Promise.all([
    checkExisting(
      { code: 'FUNCTION_MISSING', subject: 'the function', path: functionPath, remedy: 'Create the function.' },
      settings,
      busyFindings,
    ),
    checkExisting(
      {
        code: 'ALIAS_MISSING',
        subject: 'the alias',
        path: aliasPath,
        remedy: 'Create the alias, or correct its name.',
      },
      alias,
    ),
    checkCode(account, release, known),
    known
      ? checkRoles(clients, [{ roleArn: known.roleArn, service: 'lambda.amazonaws.com' }], accountOf(release))
      : passed,
    version === undefined ? passed : checkSharing(account, release, version),
    checkPermissions(clients, roleArn, requiredPermissions(release)),
  ])
  return combined(parts)
}

const accountOf = ({ functionArn }: LambdaRelease): string => functionArn.split(':')[4] ?? ''

/** Returns a finding if the function is being updated, because it rejects code until then. */
function busyFindings({ state, update }: FunctionReading): Finding[] {
  if (state !== 'Pending' && update !== 'InProgress') return []
  return [
    {
      severity: 'INFO',
      code: 'FUNCTION_BUSY',
      path: functionPath,
      message: 'Another change of the function is in progress. The release waits until it ends.',
      remedy: 'Wait until the function is active and its last update has ended.',
    },
  ]
}

/** Timeout of the dry run in milliseconds. The cloud fetches the code before it responds. */
const codeTimeoutMs = 15_000

/** Checks the code with a dry run of the update, which changes nothing. */
async function checkCode(
  { clients }: CheckedAccount,
  release: LambdaRelease,
  settings: FunctionReading | undefined,
): Promise<CheckResult> {
  const { functionArn, region } = release
  const code = codeToPublish(release)
  const isImage = 'imageUri' in code
  const path = `deploy.definition.${isImage ? 'image_uri' : 's3_key'}`
  const source = isImage ? 'ecr:BatchGetImage and ecr:GetDownloadUrlForLayer' : 's3:GetObject'
  const [dryRun, image] = await Promise.all([
    readExisting(
      `lambda:UpdateFunctionCode, ${source}`,
      ['InvalidParameterValueException'],
      () => hashOfCode(clients.lambda, { functionArn, code }),
      codeTimeoutMs,
    ),
    isImage
      ? checkImage(clients, {
          image: code.imageUri,
          path,
          region,
          alternative: 'change the architecture of the function',
          architecture: settings && (settings.architecture === 'arm64' ? 'arm64' : 'amd64'),
        })
      : passed,
  ])
  const subject = `the code ${addressOf(code)}`
  const remedy = 'Upload the code, or release code that exists.'
  return combined([
    checkExisting({ code: 'CODE_MISSING', subject, path, remedy }, dryRun),
    // The dry run checks whether the image exists.
    { findings: image.findings.filter(({ code }) => code !== 'IMAGE_MISSING'), unchecked: image.unchecked },
  ])
}

/** Returns the reason for which a release would fail before its first traffic shift. */
async function checkSharing(
  { clients }: CheckedAccount,
  release: LambdaRelease,
  running: string,
): Promise<CheckResult> {
  if (!usesWeightedRouting(release)) return passed
  const fact = await readFact('lambda:GetFunctionConfiguration and lambda:GetProvisionedConcurrencyConfig', () =>
    readSharing(clients.lambda, release, { running, next: undefined }),
  )
  const about = { code: 'CALLS_NOT_SHARED', subject: 'whether the alias can share calls', path: aliasPath } as const
  return checkFact(about, fact, (facts) => {
    const error = weightedRoutingBlocker(release, running, facts)
    if (!error) return []
    const { message, description: remedy = '' } = error
    return [{ severity: 'ERROR', code: 'CALLS_NOT_SHARED', path: 'deploy.strategy.type', message, remedy }]
  })
}

/** Returns the permissions that the connected role needs for a release of a function. */
function requiredPermissions(release: LambdaRelease): RequiredPermission[] {
  const { functionArn, code } = release
  const partition = functionArn.split(':')[1]
  const actions = [
    'GetAlias',
    'GetFunction',
    'GetFunctionConfiguration',
    'UpdateFunctionCode',
    'PublishVersion',
    'UpdateAlias',
  ]
  return [
    ...actions.map((action) => ({ action: `lambda:${action}`, resource: functionArn })),
    ...(code && 's3Bucket' in code
      ? [{ action: 's3:GetObject', resource: `arn:${partition}:s3:::${code.s3Bucket}/${code.s3Key}` }]
      : []),
  ]
}
