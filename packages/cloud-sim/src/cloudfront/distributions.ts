import { covers } from '../acm/names.ts'
import { usableCertificate } from '../acm/usable.ts'
import { partitionOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { cdnId, digits } from '../ids.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import { child, children, childText, type Xml, type XmlElement } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { cdnReply, checkIfMatch, invalidArgument, itemsOf } from './answers.ts'
import { cloudFront, type Distribution } from './state.ts'
import { readTags } from './tags.ts'

type Named = { Id: string }

const path = '/2020-05-31/distribution'

export function createDistribution(world: World, caller: Caller, input: { DistributionConfig?: Xml }) {
  return create(world, caller, input.DistributionConfig, {})
}

export function createDistributionWithTags(
  world: World,
  caller: Caller,
  { DistributionConfigWithTags: input }: { DistributionConfigWithTags?: Xml },
) {
  return create(world, caller, child(input, 'DistributionConfig'), readTags(child(input, 'Tags')))
}

function create(world: World, caller: Caller, given: Xml | undefined, tags: Record<string, string>) {
  const config = checkedConfig(given)
  checkCertificate(world, caller, config)
  const reference = childText(config, 'CallerReference')
  const own = cloudFront(world).distributions.having('account', caller.accountId)
  const there = own.find((row) => childText(row.config, 'CallerReference') === reference)
  if (there) {
    const message = `The caller reference that you are using to create a distribution is associated with another distribution. Already exists: ${there.key}`
    throw new CloudError('DistributionAlreadyExists', message, 409)
  }
  const id = cdnId('E')
  const distribution: Distribution = {
    key: id,
    account: caller.accountId,
    arn: `arn:${partitionOf(caller.region)}:cloudfront::${caller.accountId}:distribution/${id}`,
    domainName: `d${digits(13)}.cloudfront.net`,
    config,
    etag: cdnId('E'),
    modifiedAt: world.clock.timestamp(),
    deployedAt: world.in(world.timing.distributionSeconds),
    tags,
  }
  cloudFront(world).distributions.save(distribution)
  const headers = { etag: distribution.etag, location: `${path}/${id}` }
  return cdnReply('Distribution', describe(world, distribution), { status: 201, headers })
}

export function getDistribution(world: World, caller: Caller, { Id }: Named) {
  const distribution = findDistribution(world, caller, Id)
  return cdnReply('Distribution', describe(world, distribution), { headers: { etag: distribution.etag } })
}

export function getDistributionConfig(world: World, caller: Caller, { Id }: Named) {
  const { config, etag } = findDistribution(world, caller, Id)
  return cdnReply('DistributionConfig', config, { headers: { etag } })
}

export function updateDistribution(
  world: World,
  caller: Caller,
  { Id, DistributionConfig: given }: Named & { DistributionConfig?: Xml },
  request: HttpRequest,
) {
  const distribution = findDistribution(world, caller, Id)
  checkIfMatch(request, distribution.etag)
  const config = checkedConfig(given)
  checkCertificate(world, caller, config)
  if (childText(config, 'CallerReference') !== childText(distribution.config, 'CallerReference')) {
    throw new CloudError('IllegalUpdate', 'The update contains modifications that are not allowed: CallerReference.')
  }
  const changes = {
    config,
    etag: cdnId('E'),
    modifiedAt: world.clock.timestamp(),
    deployedAt: world.in(world.timing.distributionSeconds),
  }
  cloudFront(world).distributions.save(Object.assign(distribution, changes))
  return cdnReply('Distribution', describe(world, distribution), { headers: { etag: distribution.etag } })
}

export function deleteDistribution(world: World, caller: Caller, { Id }: Named, request: HttpRequest) {
  const distribution = findDistribution(world, caller, Id)
  checkIfMatch(request, distribution.etag)
  if (childText(distribution.config, 'Enabled') !== 'false' || statusOf(world, distribution) !== 'Deployed') {
    const message = 'The distribution you are trying to delete has not been disabled.'
    throw new CloudError('DistributionNotDisabled', message, 409)
  }
  for (const invalidation of cloudFront(world).invalidations.having('distribution', Id))
    cloudFront(world).invalidations.remove(invalidation)
  cloudFront(world).distributions.remove(distribution)
  return new Reply(204)
}

export function findDistribution(world: World, caller: Caller, id: string): Distribution {
  const distribution = cloudFront(world).distributions.get(id)
  if (distribution?.account !== caller.accountId) {
    throw new CloudError('NoSuchDistribution', 'The specified distribution does not exist.', 404)
  }
  return distribution
}

function checkedConfig(given: Xml | undefined): XmlElement {
  if (given === undefined || typeof given === 'string')
    throw invalidArgument('A distribution configuration is required.')
  for (const name of ['CallerReference', 'Comment', 'Enabled']) {
    if (childText(given, name) === undefined) throw invalidArgument(`The parameter ${name} is required.`)
  }
  const origins = itemsOf(child(given, 'Origins'), 'Origin').map((origin) => childText(origin, 'Id'))
  const target = childText(child(given, 'DefaultCacheBehavior'), 'TargetOriginId')
  if (!origins.includes(target)) {
    const message = 'One or more of your origins or origin groups do not exist.'
    throw new CloudError('NoSuchOrigin', message, 404)
  }
  return { ...unsaid, ...given }
}

/** Checks a distribution's certificate, which must be in us-east-1 and cover all aliases. */
function checkCertificate(world: World, { accountId }: Caller, config: XmlElement): void {
  const arn = childText(child(config, 'ViewerCertificate'), 'ACMCertificateArn')
  if (!arn) return
  const certificate = usableCertificate(world, `us-east-1:${accountId}`, arn)
  if (!certificate) {
    const message =
      "The specified SSL certificate doesn't exist, isn't in us-east-1 region, isn't valid, or doesn't include a valid certificate chain."
    throw new CloudError('InvalidViewerCertificate', message)
  }
  const aliases = children(child(child(config, 'Aliases'), 'Items'), 'CNAME').map(String)
  if (aliases.every((alias) => certificate.names.some((name) => covers(name, alias)))) return
  const message =
    "The certificate that is attached to your distribution doesn't cover the alternate domain name (CNAME) that you're trying to add."
  throw new CloudError('InvalidViewerCertificate', message)
}

const none = { Quantity: '0' }

/** Default settings of a CloudFront distribution. */
const unsaid: XmlElement = {
  Aliases: none,
  DefaultRootObject: '',
  OriginGroups: none,
  CacheBehaviors: none,
  CustomErrorResponses: none,
  Logging: { Enabled: 'false', IncludeCookies: 'false', Bucket: '', Prefix: '' },
  PriceClass: 'PriceClass_All',
  ViewerCertificate: {
    CloudFrontDefaultCertificate: 'true',
    MinimumProtocolVersion: 'TLSv1',
    CertificateSource: 'cloudfront',
  },
  Restrictions: { GeoRestriction: { RestrictionType: 'none', ...none } },
  WebACLId: '',
  HttpVersion: 'http2',
  IsIPV6Enabled: 'false',
}

const statusOf = (world: World, { deployedAt }: Distribution) =>
  world.clock.now() >= deployedAt ? 'Deployed' : 'InProgress'

const describe = (world: World, distribution: Distribution) => ({
  Id: distribution.key,
  ARN: distribution.arn,
  Status: statusOf(world, distribution),
  LastModifiedTime: new Date(distribution.modifiedAt),
  InProgressInvalidationBatches: 0,
  DomainName: distribution.domainName,
  ActiveTrustedSigners: { Enabled: false, Quantity: 0 },
  ActiveTrustedKeyGroups: { Enabled: false, Quantity: 0 },
  DistributionConfig: distribution.config,
})
