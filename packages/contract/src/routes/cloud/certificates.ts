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
    needs: 'certificates:write',
    body: dataOf(CreateCertificate),
    reply: [201, dataOf(Certificate)],
    refuses: ['referenceNotFound'],
  },
  listCertificates: {
    operationId: 'listCertificates',
    method: 'GET',
    path: '/certificates',
    tag: 'AcmCertificates',
    summary: 'List certificates',
    needs: 'certificates:read',
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
    reply: [200, listOf(Certificate)],
    refuses: ['cursorInvalid'],
  },
  findCertificates: {
    operationId: 'findCertificates',
    method: 'POST',
    path: '/certificates/find',
    tag: 'AcmCertificates',
    summary: 'Discover the certificates of a cloud account',
    needs: 'certificates:write',
    body: dataOf(FindCertificates),
    reply: [200, dataOf(FoundCertificates)],
    refuses: ['referenceNotFound', 'certificateAccountNotConnected', 'certificatesUnreadable', 'cloudUnreachable'],
  },
  getCertificate: {
    operationId: 'getCertificate',
    method: 'GET',
    path: '/certificates/{id}',
    tag: 'AcmCertificates',
    summary: 'Get a certificate',
    needs: 'certificates:read',
    params: IdParams,
    reply: [200, dataOf(Certificate)],
    refuses: ['certificateNotFound'],
  },
  checkCertificate: {
    operationId: 'checkCertificate',
    method: 'POST',
    path: '/certificates/{id}/check',
    tag: 'AcmCertificates',
    summary: 'Check the status of a certificate now',
    needs: 'certificates:write',
    params: IdParams,
    reply: [200, dataOf(Certificate)],
    refuses: ['certificateNotFound'],
  },
  deleteCertificate: {
    operationId: 'deleteCertificate',
    method: 'DELETE',
    path: '/certificates/{id}',
    tag: 'AcmCertificates',
    summary: 'Delete a certificate, by default also in the cloud account',
    needs: 'certificates:write',
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
    reply: noContent,
    refuses: [
      'certificateNotFound',
      'certificateInUse',
      'certificateBusy',
      'certificateAccountNotConnected',
      'certificatesUnreadable',
      'cloudUnreachable',
    ],
  },
} as const satisfies RouteTable
