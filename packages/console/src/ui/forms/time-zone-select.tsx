import { Select } from '@mantine/core'

/** Selects a time zone, `timeZone` in a form; defaults to the reader's. */
export const TimeZoneSelect = ({ value, error }: { value: string | undefined; error: string | undefined }) => (
  <Select
    name="timeZone"
    label="Time zone"
    data={['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]}
    defaultValue={value ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
    allowDeselect={false}
    searchable
    limit={100}
    error={error}
  />
)
