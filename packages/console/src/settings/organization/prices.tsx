import { Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { Price, PriceList } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { usePermission } from '../../api/use-permission.ts'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { attributesFromLines, linesOfAttributes, replaceAt } from './price-fields.ts'

const permission = 'price-list:write'

/** Manages prices, which plans use for their cost estimates. */
export const Prices = () => {
  const list = useOperation('getPriceList', {})
  return <QueryResult of={list}>{({ data }) => <Listed list={data} />}</QueryResult>
}

type Props = { list: PriceList }

const Listed = ({ list }: Props) => {
  const { prices, currency } = list
  const { isAllowed, reason } = usePermission(permission)
  const rows = prices.map((price, index) => ({ id: `${index} ${JSON.stringify(price)}`, price, index }))
  return (
    <Section
      title="Monthly resource prices"
      aside={
        <Group gap="xs">
          <Currency list={list} />
          <NewPrice list={list} />
        </Group>
      }
    >
      <Stack>
        <Text size="sm">
          Prices in {currency}. For each resource, the matching price with the most attributes applies; if several
          match, the first. Existing plans keep their estimates.
        </Text>
        {!isAllowed && reason !== '' && <Text size="sm">You can’t change prices. {reason}</Text>}
        <Rows
          of={rows}
          empty={<Notice title="No prices yet">Add prices to show the monthly cost of each plan.</Notice>}
        >
          {({ price, index }) => <PriceRow list={list} price={price} index={index} />}
        </Rows>
      </Stack>
    </Section>
  )
}

/** Replaces the price list with a changed one. */
const useList = (changed: (form: FormData) => PriceList) =>
  useApiMutation((form: FormData) => client.updatePriceList({ body: { data: changed(form) } }), ['getPriceList'])

const Currency = ({ list }: Props) => {
  const change = useList((form) => ({ ...list, currency: textFieldValue(form, 'currency').toUpperCase() }))
  return (
    <FormModal
      permission={permission}
      label="Change currency"
      title="Change currency"
      submit="Save"
      change={change}
      button={{ size: 'xs', variant: 'default' }}
    >
      <CurrencyField of={list} />
    </FormModal>
  )
}

const CurrencyField = ({ of }: { of: PriceList }) => (
  <TextInput
    name="currency"
    label="Currency"
    description="Three-letter ISO 4217 code. Existing amounts aren’t converted."
    required
    maxLength={3}
    defaultValue={of.currency}
    data-autofocus
    error={useContext(FormProblems).currency}
  />
)

const NewPrice = ({ list }: Props) => (
  <FormModal
    permission={permission}
    label="Add price"
    title="Add price"
    submit="Add"
    change={useList((form) => withPrice(list, list.prices.length, priceIn(form)))}
    button={{ size: 'xs' }}
  >
    <Fields />
  </FormModal>
)

const withPrice = (list: PriceList, index: number, price: Price | undefined): PriceList => ({
  ...list,
  prices: replaceAt(list.prices, index, price),
})

const PriceRow = ({ list, price, index }: Props & { price: Price; index: number }) => {
  const change = useList((form) => withPrice(list, index, priceIn(form)))
  const remove = useApiMutation(
    () => client.updatePriceList({ body: { data: withPrice(list, index, undefined) } }),
    ['getPriceList'],
  )
  const conditions = linesOfAttributes(price)
  const name = conditions === '' ? price.resourceType : `${price.resourceType} (${conditions.replaceAll('\n', ', ')})`
  return (
    <Stack gap="xs" py="sm" role="group" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <Stack gap={0} style={{ overflowWrap: 'anywhere' }}>
          <Text fw={600}>{price.resourceType}</Text>
          {conditions !== '' && (
            <Text size="sm" c="dimmed" style={{ whiteSpace: 'pre-line' }}>
              {conditions}
            </Text>
          )}
        </Stack>
        <Group gap="xs">
          <Text>
            {price.monthly} {list.currency}
          </Text>
          <EditModal permission={permission} name={name} change={change}>
            <Fields of={price} />
          </EditModal>
          <RemoveButton permission={permission} label="Delete" name={name} change={remove}>
            Resources that no other price matches are no longer included in costs. The audit log keeps the previous
            list.
          </RemoveButton>
        </Group>
      </Group>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
    </Stack>
  )
}

const Fields = ({ of }: { of?: Price }) => {
  const faults = useContext(FormProblems)
  return (
    <>
      <TextInput
        name="resourceType"
        label="Resource type"
        placeholder="aws_instance"
        required
        maxLength={200}
        defaultValue={of?.resourceType}
        data-autofocus
      />
      <Textarea
        name="where"
        label="Attribute filter"
        description="One attribute per line: its path and value."
        placeholder="instance_type = t3.large"
        autosize
        minRows={2}
        defaultValue={of && linesOfAttributes(of)}
      />
      <TextInput
        name="monthly"
        label="Monthly price per resource"
        description="Decimal number. Enter 0 if it’s free."
        placeholder="60.74"
        required
        inputMode="decimal"
        defaultValue={of?.monthly}
        error={faults.prices}
      />
    </>
  )
}

function priceIn(form: FormData): Price {
  const where = attributesFromLines(textFieldValue(form, 'where'))
  return {
    resourceType: textFieldValue(form, 'resourceType'),
    ...(Object.keys(where).length > 0 && { where }),
    monthly: textFieldValue(form, 'monthly'),
  }
}
