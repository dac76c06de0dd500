import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11 } from '../wire/json.ts'
import { advanceCertificate } from './life.ts'
import { acmOperations } from './operations.ts'
import { acmRights } from './rights.ts'
import { acm } from './state.ts'

export const acmService: CloudService = {
  title: 'AWS Certificate Manager',
  differences: [
    'Certificates that DNS records validate are issued. A certificate with email validation stays pending.',
    'Certificates cannot be imported or exported.',
    'A certificate whose first label ends in `-caa` fails, as if a CAA record forbade it.',
  ],
  protocol: json11,
  operations: acmOperations,
  rights: acmRights,
  model: readModel('acm.model.json', import.meta.url),
  unordered: ['ListCertificates'],
  // "Quotas" of the user guide, read 2026-11: requests per second and operation.
  rates: [
    { operations: ['RequestCertificate'], burst: 5, perSecond: 5 },
    { operations: ['DescribeCertificate'], burst: 10, perSecond: 10 },
    { operations: ['ListCertificates'], burst: 8, perSecond: 8 },
    { operations: ['DeleteCertificate'], burst: 10, perSecond: 10 },
  ],
  open: (world) => acm(world).certificates.onWake((certificate) => advanceCertificate(world, certificate)),
}
