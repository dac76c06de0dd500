import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { route53Operations, route53Protocol } from './operations.ts'
import { route53Rights } from './rights.ts'
import { route53 } from './state.ts'

export const route53Service: CloudService = {
  title: 'Amazon Route 53',
  differences: [
    'Names are not resolved. Health checks, traffic policies and domain registration are not simulated.',
    'Private hosted zones are stored without effect.',
  ],
  protocol: route53Protocol,
  operations: route53Operations,
  rights: route53Rights,
  model: readModel('route53.model.json', import.meta.url),
  // "Quotas" of the developer guide, read 2026-11: an account has five requests a second, whatever they are.
  rates: [{ operations: [...route53Operations.keys()], burst: 5, perSecond: 5 }],
  open: route53,
}
