import type { ImportRemark } from '@sluice/contract'
import { readExistingFunction } from '../../cloud/adapter/lambda/importable.ts'
import { describeRouting, type ExistingFunction } from '../../cloud/facts/lambda.ts'
import { present } from '../../platform/present.ts'
import type { LambdaRelease } from '../deployments/types/lambda/release.ts'
import { observedAliasData } from '../deployments/types/lambda/transitions.ts'
import type { Blockers, ImportDraft, ReadParts } from './found.ts'
import { repositoryOf } from './image.ts'
import { importedFunction } from './modules/function.ts'

/** Reads a function with three read-only requests. */
export async function readFunction(parts: ReadParts): Promise<ImportDraft | Blockers> {
  const { clients, place, aliasName } = parts
  const standing = await readExistingFunction(clients.lambda, place.arn, aliasName)
  const blockers = blockersOf(standing, aliasName)
  if (blockers.length > 0) return { blockers }
  return foundFunction(standing, parts)
}

function blockersOf({ aliasNames, alias, version }: ExistingFunction, wanted: string | undefined): string[] {
  if (aliasNames.length === 0) {
    return ['aliases: it has none; make one, and let its callers call that: releases move it from version to version']
  }
  if (!alias) {
    const known = aliasNames.join(', ')
    return [
      wanted === undefined ? `aliases: say which by aliasName: ${known}` : `aliases: it has ${known}, not ${wanted}`,
    ]
  }
  if (alias.additionalVersion !== undefined) {
    return [`RoutingConfig: a release is in progress: ${describeRouting(alias)}; import it after that`]
  }
  if (!version || alias.version === '$LATEST')
    return ['FunctionVersion: the alias calls $LATEST; let it call a version']
  return []
}

/** Converts a function to an instance of its module. */
function foundFunction(standing: ExistingFunction, { cloudAccountId, place, clock }: ReadParts): ImportDraft {
  const { functionArn, aliasName = '', packageType, imageUri, logGroup, alias, version } = standing
  if (!alias || !version) throw new Error(`nothing is known of what ${functionArn} runs`)
  const release = (): LambdaRelease => ({
    type: 'cloud:lambda',
    cloudAccountId,
    region: place.region,
    functionArn,
    aliasName,
    ...(imageUri !== undefined && { code: { imageUri: version.resolvedImageUri ?? imageUri } }),
    version: { version: version.version, codeSha256: version.codeSha256 },
    strategy: { type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [] },
    timeoutSeconds: 1_800,
    queue: { queueSize: 1, queueOverflow: 'oldest' },
  })
  return {
    module: importedFunction,
    resourceArn: functionArn,
    aliasName,
    input: present({
      cloud_account_id: cloudAccountId,
      cloud_region: place.region,
      function_arn: functionArn,
      alias_name: aliasName,
      package_type: packageType,
      image_repository: imageUri && repositoryOf(imageUri),
      log_group: logGroup,
    }),
    running: { version: version.version, what: `${standing.name}:${version.version}` },
    remarks: remarksOf(standing),
    recorded: () => ({
      ended: {
        release: release(),
        data: present({
          version: version.version,
          codeSha256: version.codeSha256,
          resolvedImageUri: version.resolvedImageUri,
          aliasState: observedAliasData(alias, clock()),
        }),
        externalDeploymentId: `${functionArn}:${version.version}`,
        message: `The alias ${aliasName} called version ${version.version} already when the function was imported.`,
      },
      remarks: [],
    }),
  }
}

const remarksOf = ({ packageType }: ExistingFunction): ImportRemark[] =>
  packageType === 'image'
    ? []
    : [
        {
          subject: 'artifact_bucket',
          message:
            'The cloud does not tell where archives come from. Give the bucket as an input before the first release; ' +
            'without it a release is refused.',
        },
        {
          subject: 'Code',
          message:
            'Nor does it tell where the present archive is: a rollback to it takes its version, while that is there.',
        },
      ]
