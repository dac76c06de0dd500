import type { ValueOption } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import {
  certificateOptions,
  cloudAccountOptions,
  domainOptions,
  executionEnvironmentOptions,
  toolVersionOptions,
} from './store.ts'
import { instanceTypesFor, regions, taskSizesFor } from './tables.ts'

type Query = Record<string, string>
type Offer = (db: Db, organizationId: string, query: Query) => Promise<ValueOption[]>

/** Option providers with data in Sluice. Options from other sources, such as Git hosts, are fetched by forms. */
const providers: Readonly<Record<string, Offer>> = {
  'service/cloud_accounts': cloudAccountOptions,
  'service/execution_environments': executionEnvironmentOptions,
  'service/certificates': certificateOptions,
  'service/domains': domainOptions,
  'cloud/regions': async () => regions,
  'iac/versions': (db, _organizationId, query) => toolVersionOptions(db, 'iac', query),
  'iac_alt/versions': (db, _organizationId, query) => toolVersionOptions(db, 'iac_alt', query),
  'cloud/ec2/instances': async (_db, _organizationId, { costUnit }) =>
    instanceTypesFor({ costUnit: costUnit === 'minute' ? 'minute' : 'hour' }),
  'cloud/fargate/sizes': async (_db, _organizationId, query) => taskSizesFor(query),
}

const prefix = '$values:'

/** Returns the options at a provider's rendered address, such as `$values:cloud/ec2/instances?region=eu-west-1`. */
export async function offersOf(db: Db, organizationId: string, address: string): Promise<ValueOption[]> {
  const [path = '', query = ''] = address.slice(prefix.length).split('?')
  const offer = Object.hasOwn(providers, path) ? providers[path] : undefined
  return offer ? offer(db, organizationId, Object.fromEntries(new URLSearchParams(query))) : []
}
