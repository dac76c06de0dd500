import type { CreatePullThroughCacheRuleRequest, DescribePullThroughCacheRulesRequest } from '@aws-sdk/client-ecr'
import { regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds } from '../wire/json.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'
import { ecr, type PullThroughCacheRule } from './state.ts'

const keyOf = ({ scope }: Caller, prefix: string): string => `${scope} ${prefix}`

export function createPullThroughCacheRule(world: World, caller: Caller, input: CreatePullThroughCacheRuleRequest) {
  const { ecrRepositoryPrefix: prefix = '', upstreamRegistryUrl = '' } = input
  const key = keyOf(caller, prefix)
  if (ecr(world).cacheRules.get(key)) {
    const message = `A pull through cache rule with the prefix '${prefix}' already exists.`
    throw new CloudError('PullThroughCacheRuleAlreadyExistsException', message)
  }
  const createdAt = world.clock.timestamp()
  return shown(ecr(world).cacheRules.save({ key, scope: caller.scope, prefix, upstreamRegistryUrl, createdAt }))
}

export function describePullThroughCacheRules(
  world: World,
  caller: Caller,
  input: DescribePullThroughCacheRulesRequest,
) {
  const { ecrRepositoryPrefixes: prefixes } = input
  const own = ecr(world).cacheRules.having('scope', caller.scope)
  const missing = prefixes?.find((prefix) => !own.some((rule) => rule.prefix === prefix))
  if (missing !== undefined) {
    const message = `There is no pull through cache rule with the prefix '${missing}'.`
    throw new CloudError('PullThroughCacheRuleNotFoundException', message)
  }
  const found = prefixes ? own.filter(({ prefix }) => prefixes.includes(prefix)) : own
  const { items, nextToken } = page(found, ({ key }) => key, prefixes, input)
  return { pullThroughCacheRules: items.map(shown), nextToken }
}

const shown = ({ scope, prefix, upstreamRegistryUrl, createdAt }: PullThroughCacheRule) => ({
  ecrRepositoryPrefix: prefix,
  upstreamRegistryUrl,
  registryId: regionAndAccountOf(scope).account,
  createdAt: seconds(createdAt),
})
