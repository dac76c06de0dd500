import { type Operation, operations } from '@sluice/client'
import type { ValueOption } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { client } from '../../api/client.ts'
import type { InputDefinition, Values } from './definition.ts'
import type { FieldProps } from './field.ts'
import { isConditionMet } from './visibility.ts'

export const isChoice = ({ type, values }: InputDefinition): boolean => type === 'compound' || values !== undefined

/** Providers whose values users usually type; their options complete the text. */
const typed = ['cloud/image_repositories', 'cloud/images', 'git/branches']

export const isTypedProvider = ({ type, values }: InputDefinition): boolean =>
  type === 'string' && typeof values === 'string' && typed.some((one) => values.split('?')[0] === `$values:${one}`)

/** Conventional input IDs with their option providers, for inputs without one. */
const byName = { vpc_id: 'networks', subnet_ids: 'subnets', security_group_ids: 'security_groups' } as const

/** Returns the option provider for a conventional input ID, such as `private_subnet_ids`. */
export function providerByInputId({ id, type, values }: InputDefinition): string | undefined {
  if (values !== undefined || (type !== 'string' && type !== 'string_array')) return undefined
  const [, offer] = Object.entries(byName).find(([name]) => id === name || id.endsWith(`_${name}`)) ?? []
  const accountAndRegion = 'cloudAccountId=<< module.input.cloud_account_id >>&region=<< module.input.cloud_region >>'
  return offer && `$values:cloud/${offer}?${accountAndRegion}`
}

type OptionsRequest = { operation: Operation; query: Record<string, string> }

/**
 * Returns the request for the options of a provider such as `$values:cloud/regions?cloudAccountId=<<
 * module.input.account >>` with the current values. Undefined for more complex templates, which the server evaluates.
 */
export function optionsRequest(
  provider: string,
  moduleInput: Values,
  innerInput: Values = {},
): OptionsRequest | undefined {
  const address = provider
    .replace(/^\$values:/, '')
    .replaceAll(/<<\s*(module|deploy)\.input\.(\w+)\s*>>/g, (_, scope: string, id: string) =>
      encodeURIComponent(String((scope === 'module' ? moduleInput : innerInput)[id] ?? '')),
    )
  const [path, query] = address.split('?')
  const operation = (Object.keys(operations) as Operation[]).find((one) => operations[one][1] === `/values/${path}`)
  if (operation === undefined || address.includes('<<')) return undefined
  const given = [...new URLSearchParams(query)].filter(([, value]) => value !== '')
  return { operation, query: Object.fromEntries(given) }
}

/** Returns the options of an input, from the module or from the server. */
export function useOptions({ definition, formState, path, beside }: FieldProps): readonly ValueOption[] {
  const values = definition.values ?? providerByInputId(definition)
  const offer =
    typeof values === 'string' ? optionsRequest(values, formState.moduleInput, formState.innerInput) : undefined
  const { data } = useQuery({
    queryKey: [offer?.operation, { query: offer?.query }],
    queryFn: () => {
      const ask = client[offer?.operation ?? 'listRegionValues'] as (
        request: object,
      ) => Promise<{ data: ValueOption[] }>
      return ask({ query: offer?.query })
    },
    enabled: offer !== undefined,
    placeholderData: keepPreviousData,
  })
  if (!Array.isArray(values)) return data?.data ?? formState.options.get(path) ?? []
  return values.filter(({ show_when: conditions = {} }) =>
    Object.entries(conditions).every(([id, condition]) => isConditionMet(condition, beside[id] ?? null)),
  )
}
