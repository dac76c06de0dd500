import { Type } from 'typebox'
import { CloudRegion } from '../../cloud/cloud-account.ts'
import { ImageRepositories, ImageRepositoryName, Images } from '../../cloud/image.ts'
import { CloudNetworks } from '../../cloud/network.ts'
import { IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

/** Resources of a cloud account for use in forms. They are read from the cloud and not stored. */
export const accountOfferRoutes = {
  listNetworks: {
    operationId: 'listNetworks',
    method: 'GET',
    path: '/cloud-accounts/{id}/networks',
    tag: 'AwsDefaultNetworks',
    summary: 'List the networks in a region of a cloud account',
    permission: 'cloud-accounts:read',
    params: IdParams,
    query: Type.Object({ region: CloudRegion }, closed),
    response: [200, CloudNetworks],
    errors: ['cloudAccountNotFound'],
  },
  listImageRepositories: {
    operationId: 'listImageRepositories',
    method: 'GET',
    path: '/cloud-accounts/{id}/image-repositories',
    tag: 'AwsAccounts',
    summary: 'List the image repositories in a region of a cloud account',
    permission: 'cloud-accounts:read',
    params: IdParams,
    query: Type.Object({ region: CloudRegion }, closed),
    response: [200, ImageRepositories],
    errors: ['cloudAccountNotFound'],
  },
  listImages: {
    operationId: 'listImages',
    method: 'GET',
    path: '/cloud-accounts/{id}/images',
    tag: 'AwsAccounts',
    summary: 'List the tagged images of an image repository, newest first',
    permission: 'cloud-accounts:read',
    params: IdParams,
    query: Type.Object({ region: CloudRegion, repository: ImageRepositoryName }, closed),
    response: [200, Images],
    errors: ['cloudAccountNotFound'],
  },
} as const satisfies RouteTable
