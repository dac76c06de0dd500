import type { ProjectDocumentOf } from '@sluice/contract'
import { importedContainerService } from '@sluice/server/delivery/module-imports/modules/container-service'
import { containersOf, inputOfService } from '@sluice/server/delivery/module-imports/service-input'
import { present } from '@sluice/server/platform/present'
import { slugOf } from '../calls/imports.ts'
import type { DefinedService } from './defined.ts'
import { imageParts } from './image.ts'
import { hasVariable } from './texts.ts'

/** Settings that the files do not contain. */
export type ImportTarget = {
  /** GivenIds of the environment and cloud account. */
  environment: string
  account: string
  /** ARN of the cluster. */
  cluster?: string
  /** Name of the service in its cluster. */
  service?: string
  /** Repository of the image. */
  image?: string
  /** GivenId of the instance. */
  as?: string
}

type Instance = ProjectDocumentOf<'ModuleInstance'>

/** Converts a service to a project document, or returns what is missing. */
export function instanceOf(defined: DefinedService, placing: ImportTarget): { instance: Instance } | { fault: string } {
  const { service = placing.service ?? defined.name, cluster, region } = placed(defined, placing)
  const clusterArn = cluster
  if (clusterArn === undefined) return { fault: 'the file does not name the cluster: use --cluster' }
  const [, , , ofCluster = ''] = clusterArn.split(':')
  if (region !== undefined && region !== ofCluster) {
    return { fault: `the file names the region ${region}, but --cluster is in ${ofCluster}` }
  }
  const isVariable = hasVariable(defined.name)
  if (isVariable && placing.as === undefined) {
    return { fault: 'its name is a variable: name the instance with --as' }
  }
  const name = slugOf(placing.as ?? defined.name)
  if (name === '') return { fault: 'its name has no letters or digits: name the instance with --as' }
  const { image } = containersOf(defined).app
  if (image === undefined && placing.image === undefined) {
    return { fault: 'it has no image: name the repository of the image with --image, without a tag' }
  }
  const repository = placing.image ?? imageParts(String(image)).repository
  if (repository === undefined) {
    return { fault: 'the whole image is a variable: name its repository with --image, without a tag' }
  }
  const title = name === defined.name || isVariable ? undefined : defined.name.slice(0, 100)
  return {
    instance: {
      kind: 'ModuleInstance',
      name,
      ...present({ title }),
      environment: placing.environment,
      module: importedContainerService.type,
      input: {
        cloud_account_id: `\${CloudAccount:${placing.account}}`,
        cloud_region: ofCluster,
        cluster_arn: clusterArn,
        service_arn: `${clusterArn.replace(':cluster/', ':service/')}/${service}`,
        ...inputOfService(defined),
        image_repository: repository,
      },
    },
  }
}

/** Returns the location of the service. Values in the file take precedence over options. */
function placed(
  { place }: DefinedService,
  { cluster }: ImportTarget,
): { cluster?: string; service?: string; region?: string } {
  const { serviceArn, clusterArn, region } = place
  if (serviceArn === undefined) return present({ cluster: cluster ?? arnIn(clusterArn), region })
  const [, before = '', inCluster = ''] = /^(.*):service\/(.*)\/[^/]*$/.exec(serviceArn) ?? []
  return { cluster: `${before}:cluster/${inCluster}`, service: serviceArn.split('/').at(-1) ?? '' }
}

const arnIn = (cluster: string | undefined): string | undefined => (cluster?.startsWith('arn:') ? cluster : undefined)

/** Returns the module documents of the instances, for an organization without them. */
export const moduleDocuments = (): [ProjectDocumentOf<'ModuleDefinition'>, ProjectDocumentOf<'ModuleVersion'>] => {
  const { type, name, description, version, config } = importedContainerService
  return [
    { kind: 'ModuleDefinition', name: type, title: name, description },
    { kind: 'ModuleVersion', name: type, version, description: 'Comes with Sluice.', config },
  ]
}
