import {
  type CertificateAddress,
  certificateAddresses,
  readCertificateExpiry,
} from '@sluice/server/platform/certificate-expiry'
import type { Config } from '@sluice/server/platform/config/settings'
import { type Finding, finding, ok, problem, warning } from './finding.ts'

/** Checks the certificates at the addresses in the settings. */
export const examineCertificates = (config: Config): Promise<Finding[]> =>
  Promise.all(
    certificateAddresses(config).map((address) =>
      finding(`certificate of ${address.setting}`, () => examineExpiry(address)),
    ),
  )

const dayMs = 86_400_000
/** Same threshold as the alert, in days. */
const warnDays = 14

async function examineExpiry({ url }: CertificateAddress) {
  try {
    const expiry = await readCertificateExpiry(url)
    const says = `${url.host}: valid until ${expiry.toISOString()}`
    const days = (expiry.getTime() - Date.now()) / dayMs
    if (days > warnDays) return ok(says)
    return days > 0
      ? warning(says, 'Renew it.')
      : problem(`${url.host}: expired at ${expiry.toISOString()}`, 'Renew it.')
  } catch (error) {
    return warning(`${url.host} shows none: ${error instanceof Error ? error.message : String(error)}`)
  }
}
