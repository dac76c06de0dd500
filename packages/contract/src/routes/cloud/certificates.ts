import { Type } from 'typebox'
import {
  Certificate,
  CreateCertificate,
  certificateStatuses,
  FindCertificates,
  FoundCertificates,
} from '../../cloud/certificate.ts'
import { CloudRegion } from '../../cloud/cloud-account.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

export const certificateRoutes = {
  createCertificate: {
    operationId: 'createCertificate',
    method: 'POST',
    path: '/certificates',
    tag: 'AcmCertificates',
    summary: 'Request a certificate in a cloud account',
    permission: 'certificates:write',
    body: dataOf(CreateCertificate),
    response: [201, dataOf(Certificate)],
    errors: ['referenceNotFound'],
  },
  listCertificates: {
    operationId: 'listCertificates',
    method: 'GET',
    path: '/certificates',
    tag: 'AcmCertificates',
    summary: 'List certificates',
    permission: 'certificates:read',
    query: Type.Object(
      {
        ...pageParams,
        cloudAccountId: Type.Optional(Id),
        region: Type.Optional(CloudRegion),
        status: Type.Optional(Type.Enum(certificateStatuses, { description: 'Filters by status.' })),
        expiresSoon: Type.Optional(Type.Boolean({ description: 'Filters by whether the certificate expires soon.' })),
      },
      closed,
    ),
    response: [200, listOf(Certificate)],
    errors: ['cursorInvalid'],
  },
  findCertificates: {
    operationId: 'findCertificates',
    method: 'POST',
    path: '/certificates/find',
    tag: 'AcmCertificates',
    summary: 'Discover the certificates of a cloud account',
    permission: 'certificates:write',
    body: dataOf(FindCertificates),
    response: [200, dataOf(FoundCertificates)],
    errors: ['referenceNotFound', 'certificateAccountNotConnected', 'certificatesUnreadable', 'cloudUnreachable'],
  },
  getCertificate: {
    operationId: 'getCertificate',
    method: 'GET',
    path: '/certificates/{id}',
    tag: 'AcmCertificates',
    summary: 'Get a certificate',
    permission: 'certificates:read',
    params: IdParams,
    response: [200, dataOf(Certificate)],
    errors: ['certificateNotFound'],
  },
  checkCertificate: {
    operationId: 'checkCertificate',
    method: 'POST',
    path: '/certificates/{id}/check',
    tag: 'AcmCertificates',
    summary: 'Check the status of a certificate now',
    permission: 'certificates:write',
    params: IdParams,
    response: [200, dataOf(Certificate)],
    errors: ['certificateNotFound'],
  },
  deleteCertificate: {
    operationId: 'deleteCertificate',
    method: 'DELETE',
    path: '/certificates/{id}',
    tag: 'AcmCertificates',
    summary: 'Delete a certificate, by default also in the cloud account',
    permission: 'certificates:write',
    params: IdParams,
    query: Type.Object(
      {
        keepInAccount: Type.Optional(
          Type.Boolean({
            description: 'Whether to keep the certificate in the cloud account and only remove it from Sluice.',
            default: false,
          }),
        ),
      },
      closed,
    ),
    response: noContent,
    errors: [
      'certificateNotFound',
      'certificateInUse',
      'certificateBusy',
      'certificateAccountNotConnected',
      'certificatesUnreadable',
      'cloudUnreachable',
    ],
  },
} as const satisfies RouteTable
