import { Group, Select, Text, Textarea, TextInput } from '@mantine/core'
import type { ApprovalDelegation } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useWhole } from '../../api/use-pages.ts'
import { Answer } from '../../ui/answer.tsx'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormFaults } from '../../ui/forms/form-faults.ts'
import { FormModal, textOf } from '../../ui/forms/form-modal.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { ClockTime, useNow } from '../../ui/time.tsx'

const needs = 'approvals:write'
const shows = ['listApprovalDelegations', 'getDeployment', 'getPipelineStepExecution'] as const

/** Who decides in whose place where rules ask a team, as far as it is not over. */
export const Delegations = () => {
  const now = useNow()
  return (
    <Section title="In the place of others" aside={<NewDelegation />}>
      <Answer of={useWhole('listApprovalDelegations', {})}>
        {(all) => (
          <Rows
            of={all.filter(({ until }) => now < Date.parse(until))}
            empty={<Text size="sm">Everybody decides themselves. Who is away can name somebody for a time.</Text>}
          >
            {(one) => <DelegationRow delegation={one} />}
          </Rows>
        )}
      </Answer>
    </Section>
  )
}

const useEmailOf = () => {
  const members = useWhole('listMemberships', {}).data ?? []
  return (id: string) => members.find((one) => one.id === id)?.email ?? id
}

const DelegationRow = ({ delegation }: { delegation: ApprovalDelegation }) => {
  const { id, membershipId, delegateId, from, until, reason } = delegation
  const emailOf = useEmailOf()
  const remove = useChange(() => client.deleteApprovalDelegation({ params: { id } }), shows)
  return (
    <>
      <Group justify="space-between" py="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {emailOf(delegateId)} decides for {emailOf(membershipId)} from <ClockTime at={from} /> until{' '}
          <ClockTime at={until} />
          {reason !== undefined && `: ${reason}`}
        </Text>
        <ConfirmButton
          needs={needs}
          variant="subtle"
          color="red"
          size="xs"
          label="End"
          ariaLabel={`End what ${emailOf(delegateId)} decides for ${emailOf(membershipId)}`}
          question="End it now?"
          loading={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
        >
          What was approved in this place counts no more where it still waits.
        </ConfirmButton>
      </Group>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
    </>
  )
}

const NewDelegation = () => {
  const own = useOperation('whoami', {}).data?.data.membershipId
  const members = useWhole('listMemberships', {}).data ?? []
  const create = useChange((form: FormData) => {
    const [from, reason] = [textOf(form, 'from'), textOf(form, 'reason')]
    const data = {
      delegateId: textOf(form, 'delegateId'),
      until: new Date(textOf(form, 'until')).toISOString(),
      ...(from !== '' && { from: new Date(from).toISOString() }),
      ...(reason !== '' && { reason }),
    }
    return client.createApprovalDelegation({ body: { data } })
  }, shows)
  return (
    <FormModal
      needs={needs}
      label="Name somebody"
      title="Have somebody decide in your place"
      submit="Name"
      change={create}
      button={{ size: 'xs' }}
    >
      <Fields people={members.filter(({ id }) => id !== own)} />
    </FormModal>
  )
}

const Fields = ({ people }: { people: readonly { id: string; email: string }[] }) => {
  const faults = useContext(FormFaults)
  return (
    <>
      <Select
        name="delegateId"
        label="Who"
        description="They count where rules ask your teams; what they may do stays what their roles say."
        data={people.map(({ id, email }) => ({ value: id, label: email }))}
        required
        searchable
        error={faults.delegateId}
      />
      <TextInput type="datetime-local" name="from" label="From" description="Empty: at once." error={faults.from} />
      <TextInput type="datetime-local" name="until" label="Until" required error={faults.until} />
      <Textarea name="reason" label="Reason" autosize minRows={1} maxLength={500} error={faults.reason} />
    </>
  )
}
