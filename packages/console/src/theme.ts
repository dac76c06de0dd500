import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The blue of water behind a gate. Shades 6 (on white) and 4 (on the dark background) reach WCAG AA for text. */
const water: MantineColorsTuple = [
  '#e6f6fb',
  '#cfe9f3',
  '#9fd2e6',
  '#6bbad9',
  '#42a5cd',
  '#2997c4',
  '#0c7599',
  '#086a8c',
  '#005a78',
  '#004a64',
]

export const theme = createTheme({
  primaryColor: 'water',
  primaryShade: { light: 6, dark: 6 },
  colors: { water },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
})
