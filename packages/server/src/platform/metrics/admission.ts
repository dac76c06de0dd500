import type { AdmissionObserver } from '../admission/admission.ts'
import type { Metrics } from './metrics.ts'

/** Counts admitted and rejected requests, and how long requests and deployments wait. */
export const measureAdmission = ({ admissions, queueingDelays }: Metrics): AdmissionObserver => ({
  onRequest: (requestClass, rejection) =>
    admissions.inc({ class: requestClass, result: rejection?.reason ?? 'admitted' }),
  onDelay: (requestClass, queue, delayMs) => queueingDelays.observe({ class: requestClass, queue }, delayMs / 1_000),
})
