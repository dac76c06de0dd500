import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { IconPlus, IconTrash } from '../../ui/icons.tsx'
import { clearedValue, type FieldProps, fieldProps } from './field.ts'
import { validateInput } from './validate-input.ts'

type Row = { key: string; value: string }

/** Edits key-value pairs. Rows without a key are kept in the field but not submitted. */
export const KeyValueField = (props: FieldProps) => {
  const { definition, value, onChange } = props
  const { label, description, withAsterisk, readOnly, error } = fieldProps(props, validateInput(definition, value))
  const [rows, setRows] = useState<Row[]>(() =>
    Object.entries((value ?? {}) as Record<string, string>).map(([key, value]) => ({ key, value })),
  )
  const change = (changed: Row[]) => {
    setRows(changed)
    const pairs = changed.filter(({ key }) => key !== '').map(({ key, value }) => [key, value])
    onChange(pairs.length === 0 ? clearedValue(definition) : Object.fromEntries(pairs))
  }
  const put = (index: number, row: Row) => change(rows.map((one, at) => (at === index ? row : one)))
  return (
    <Input.Wrapper {...{ label, description, withAsterisk, error }} labelElement="div">
      <Stack gap="xs" mt={4}>
        {rows.map((row, index) => (
          <Group key={index} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={`${label}, name ${index + 1}`}
              placeholder="Name"
              readOnly={readOnly}
              value={row.key}
              onChange={(event) => put(index, { ...row, key: event.currentTarget.value })}
              flex={1}
            />
            <TextInput
              aria-label={`${label}, value ${index + 1}`}
              placeholder="Value"
              readOnly={readOnly}
              value={row.value}
              onChange={(event) => put(index, { ...row, value: event.currentTarget.value })}
              flex={1}
            />
            <ActionIcon
              variant="default"
              size="lg"
              disabled={readOnly}
              aria-label={`Remove ${row.key || `row ${index + 1}`}`}
              onClick={() => change(rows.filter((_, at) => at !== index))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            disabled={readOnly}
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => setRows([...rows, { key: '', value: '' }])}
          >
            {definition.add_button_label ?? 'Add'}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}
