import { Group, Select, Text, Textarea, TextInput } from '@mantine/core'
import type { ApprovalDelegation } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { ClockTime, useNow } from '../../ui/time.tsx'

const permission = 'approvals:write'
const shows = ['listApprovalDelegations', 'getDeployment', 'getPipelineStepExecution'] as const

/** Lists delegations that have not ended. */
export const Delegations = () => {
  const now = useNow()
  return (
    <Section title="Delegations" aside={<NewDelegation />}>
      <QueryResult of={useCompleteList('listApprovalDelegations', {})}>
        {(all) => (
          <Rows
            of={all.filter(({ until }) => now < Date.parse(until))}
            empty={<Text size="sm">Before you’re away, name someone to approve on your behalf.</Text>}
          >
            {(one) => <DelegationRow delegation={one} />}
          </Rows>
        )}
      </QueryResult>
    </Section>
  )
}

const useEmailOf = () => {
  const members = useCompleteList('listMemberships', {}).data ?? []
  return (id: string) => members.find((one) => one.id === id)?.email ?? id
}

const DelegationRow = ({ delegation }: { delegation: ApprovalDelegation }) => {
  const { id, membershipId, delegateId, from, until, reason } = delegation
  const emailOf = useEmailOf()
  const remove = useApiMutation(() => client.deleteApprovalDelegation({ params: { id } }), shows)
  return (
    <>
      <Group justify="space-between" py="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {emailOf(delegateId)} approves on behalf of {emailOf(membershipId)} from <ClockTime at={from} /> until{' '}
          <ClockTime at={until} />
          {reason !== undefined && `: ${reason}`}
        </Text>
        <ConfirmButton
          permission={permission}
          variant="subtle"
          color="red"
          size="xs"
          label="End"
          ariaLabel={`End the delegation from ${emailOf(membershipId)} to ${emailOf(delegateId)}`}
          question="End this delegation?"
          loading={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
        >
          Approvals given under this delegation no longer count where a decision is pending.
        </ConfirmButton>
      </Group>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
    </>
  )
}

const NewDelegation = () => {
  const own = useOperation('whoami', {}).data?.data.membershipId
  const members = useCompleteList('listMemberships', {}).data ?? []
  const create = useApiMutation((form: FormData) => {
    const [from, reason] = [textFieldValue(form, 'from'), textFieldValue(form, 'reason')]
    const data = {
      delegateId: textFieldValue(form, 'delegateId'),
      until: new Date(textFieldValue(form, 'until')).toISOString(),
      ...(from !== '' && { from: new Date(from).toISOString() }),
      ...(reason !== '' && { reason }),
    }
    return client.createApprovalDelegation({ body: { data } })
  }, shows)
  return (
    <FormModal
      permission={permission}
      command="addDelegation"
      label="Add delegation"
      title="Add delegation"
      outcome="The delegate can decide for you during this time. The audit log names both of you."
      submit="Add"
      change={create}
      button={{ size: 'xs' }}
    >
      <Fields people={members.filter(({ id }) => id !== own)} />
    </FormModal>
  )
}

const Fields = ({ people }: { people: readonly { id: string; email: string }[] }) => {
  const faults = useContext(FormProblems)
  return (
    <>
      <Select
        name="delegateId"
        label="Delegate"
        description="Counts as a member of your teams for approval rules. The delegate’s own permissions don’t change."
        data={people.map(({ id, email }) => ({ value: id, label: email }))}
        required
        searchable
        error={faults.delegateId}
      />
      <TextInput
        type="datetime-local"
        name="from"
        label="From"
        description="Leave empty to start now."
        error={faults.from}
      />
      <TextInput type="datetime-local" name="until" label="Until" required error={faults.until} />
      <Textarea name="reason" label="Reason" autosize minRows={1} maxLength={500} error={faults.reason} />
    </>
  )
}
