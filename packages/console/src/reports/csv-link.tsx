import { Button } from '@mantine/core'
import { operations } from '@sluice/client'
import type { ReadOperation } from '../api/use-operation.ts'
import { IconDownload } from '../ui/icons.tsx'

type Props = {
  /** Name of the table, for screen readers. */
  of: string
  operation: Extract<ReadOperation, `get${string}Report` | `get${string}Records`>
  query: Readonly<Record<string, string | number | readonly string[]>>
}

/** Downloads the data of a table as CSV. */
export const CsvLink = ({ of, operation, query }: Props) => {
  const [, path] = operations[operation]
  const asked = Object.entries({ ...query, format: 'csv' }).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  )
  return (
    <Button
      component="a"
      href={`${path}?${new URLSearchParams(asked)}`}
      download
      size="xs"
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      aria-label={`Download CSV of ${of}`}
    >
      Download CSV
    </Button>
  )
}
