import { type ImportRemark, versionOf } from '@sluice/contract'
import { readExistingService } from '../../cloud/adapter/ecs/importable.ts'
import type { ExistingService } from '../../cloud/facts/ecs.ts'
import { present } from '../../platform/present.ts'
import type { Release } from '../deployments/types/release.ts'
import { differencesBetween } from './differences.ts'
import type { Blockers, ImportDraft, ReadParts } from './found.ts'
import { referenceIn } from './image.ts'
import { importedContainerService } from './modules/container-service.ts'
import { blockersIn, configurationRemarks, containersOf, inputOfService, secretRemarks } from './service-input.ts'

type Json = Record<string, unknown>

/** Reads a container service with three read-only requests. */
export async function readContainerService({
  clients,
  cloudAccountId,
  place,
}: ReadParts): Promise<ImportDraft | Blockers> {
  const clusterArn = place.arn.replace(/:service\/([^/]+)\/.*$/, ':cluster/$1')
  const service = await readExistingService(clients.ecs, { clusterArn, serviceArn: place.arn })
  const blockers = blockersOf(service)
  if (blockers.length > 0) return { blockers }
  return draftServiceImport(service, { cloud_account_id: cloudAccountId, cloud_region: place.region })
}

function blockersOf(service: ExistingService): string[] {
  const { isSettled, primary } = service
  const [first] = blockersIn(service)
  if (service.controller !== 'ECS' && first !== undefined) return [first]
  if (!primary) return ['deployments: nothing was ever released to it']
  if (!isSettled)
    return ['deployments: a release is in progress, or the last one failed; import it after one has succeeded']
  return first === undefined ? [] : [first]
}

type Place = { cloud_account_id: string; cloud_region: string }

/** Converts a service to an instance of its module. */
export function draftServiceImport(service: ExistingService, place: Place): ImportDraft {
  const { taskDefinition, primary, since, serviceDeploymentArn } = service
  const { app, others } = containersOf({ ...service, definition: taskDefinition.definition })
  const image = String(app.image ?? '')
  const { family, revision } = taskDefinition.definition
  return {
    module: importedContainerService,
    resourceArn: service.serviceArn,
    input: {
      ...place,
      cluster_arn: service.clusterArn,
      service_arn: service.serviceArn,
      ...inputOfService({ ...service, definition: taskDefinition.definition }),
    },
    deployInputs: { image_ref: image.includes('/') ? image : referenceIn(image) },
    running: present({ version: versionOf({ image }), what: `${family}:${revision}`, since }),
    remarks: remarksOf(service, app),
    recorded: (next) => ({
      ended: {
        release: reusing(next, taskDefinition.arn),
        data: present({
          // The container `app` comes first, because it names the release.
          deployedTaskDefinition: {
            ...taskDefinition,
            definition: { ...taskDefinition.definition, containerDefinitions: [app, ...others] },
          },
          serviceDeploymentArn,
        }),
        ...present({ externalDeploymentId: primary?.id }),
        message: `${family}:${revision} ran already when the service was imported.`,
      },
      remarks: changesOf(next, taskDefinition.definition),
    }),
  }
}

/** Returns a release that uses the running task definition, so that a rollback to it registers nothing. */
function reusing(next: Release | undefined, arn: string): Release {
  if (next?.type !== 'cloud:ecs') throw new Error(`a container service is not released as ${next?.type}`)
  return { ...next, taskDefinition: { reuse: { arn } } }
}

/** Returns how the next release's task definition differs from the running one, except for its image. */
function changesOf(next: Release | undefined, runs: Json): ImportRemark[] {
  if (next?.type !== 'cloud:ecs' || !('register' in next.taskDefinition)) return []
  return differencesBetween(runs, next.taskDefinition.register).map((path) => ({
    subject: path,
    message: 'The next release registers it otherwise than it is now.',
  }))
}

function remarksOf(service: ExistingService, app: Json): ImportRemark[] {
  return [...configurationRemarks(service), ...secretRemarks(app)]
}
