import { regionAndAccountOf } from '../arns.ts'
import { cloudFront } from '../cloudfront/state.ts'
import { elb } from '../elb/state.ts'
import { child, childText } from '../wire/xml.ts'
import type { World } from '../world.ts'
import type { Certificate } from './state.ts'

/** Returns the ARNs of the load balancers and distributions that use a certificate. */
export function usersOf(world: World, { key, scope }: Certificate): string[] {
  const balancers = elb(world)
    .listeners.having('scope', scope)
    .filter(({ certificates }) => certificates.some(({ CertificateArn }) => CertificateArn === key))
    .map(({ loadBalancerArn }) => loadBalancerArn)
  const distributions = cloudFront(world)
    .distributions.having('account', regionAndAccountOf(scope).account)
    .filter(({ config }) => childText(child(config, 'ViewerCertificate'), 'ACMCertificateArn') === key)
    .map(({ arn }) => arn)
  return [...new Set([...balancers, ...distributions])]
}
