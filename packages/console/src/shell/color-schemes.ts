import type { MantineColorScheme } from '@mantine/core'

/** Themes of the console. */
export const colorSchemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const satisfies readonly { value: MantineColorScheme; label: string }[]
