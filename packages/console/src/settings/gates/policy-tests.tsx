import { Button, Group, Input, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { PolicyTest } from '@sluice/contract'
import { useContext, useId, useState } from 'react'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { testFields, validateTestInput } from './policy-test-form.ts'

/** Limit of the server. */
const maxTests = 20

const empty: PolicyTest = { name: '', given: {}, expect: 'VIOLATED' }

/** Edits the tests of a policy, which run on every save. */
export const PolicyTests = ({ of }: { of: readonly PolicyTest[] }) => {
  const faults = useContext(FormProblems)
  const title = useId()
  const [rows, setRows] = useState(of.map((test, id) => ({ id, test })))
  const nextId = Math.max(-1, ...rows.map(({ id }) => id)) + 1
  return (
    <Stack gap="xs" role="group" aria-labelledby={title}>
      <Group justify="space-between">
        <Input.Label labelElement="div" id={title}>
          Tests
        </Input.Label>
        <Button
          size="xs"
          variant="default"
          disabled={rows.length >= maxTests}
          onClick={() => setRows([...rows, { id: nextId, test: empty }])}
        >
          Add test
        </Button>
      </Group>
      {rows.map(({ id, test }, index) => (
        <Test key={id} nth={index + 1} test={test} onRemove={() => setRows(rows.filter((one) => one.id !== id))} />
      ))}
      {faults.tests !== undefined && (
        <Text size="sm" c="red">
          {faults.tests}
        </Text>
      )}
    </Stack>
  )
}

const expectations = [
  { value: 'VIOLATED', label: 'Fails' },
  { value: 'ALLOWED', label: 'Passes' },
]

type Props = { nth: number; test: PolicyTest; onRemove: () => void }

const Test = ({ nth, test: { name, given, expect }, onRemove }: Props) => (
  <Stack gap={4} role="group" aria-label={`Test ${nth}`}>
    <Group gap="xs" wrap="nowrap" align="end">
      <TextInput name={testFields.name} label="Name" required maxLength={200} defaultValue={name} flex={1} />
      <Select
        name={testFields.expect}
        label="Expected result"
        data={expectations}
        defaultValue={expect}
        allowDeselect={false}
        w={140}
      />
      <Button variant="subtle" aria-label={`Remove test ${nth}`} onClick={onRemove}>
        Remove
      </Button>
    </Group>
    <Textarea
      name={testFields.given}
      label="Input (JSON)"
      required
      autosize
      minRows={2}
      maxRows={10}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      defaultValue={JSON.stringify(given, null, 2)}
      onChange={({ currentTarget }) => currentTarget.setCustomValidity(validateTestInput(currentTarget.value))}
    />
  </Stack>
)
