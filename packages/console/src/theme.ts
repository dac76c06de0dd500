import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  parseThemeColor,
  type VariantColorsResolver,
} from '@mantine/core'

/** Brand color. Shades 6 (on white) and 4 (on dark) meet WCAG AA for text. */
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

/** Darkens text on tinted backgrounds to meet WCAG AA (4.5 to 1), and the backgrounds themselves in dark mode. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const usual = defaultVariantColorsResolver(input)
  const { color } = parseThemeColor({ color: input.color ?? input.theme.primaryColor, theme: input.theme })
  if (input.variant !== 'light') return usual
  const onLight = `color-mix(in srgb, var(--mantine-color-${color}-9), black 40%)`
  const onDark = `color-mix(in srgb, var(--mantine-color-${color}-2), white 20%)`
  const ground = `color-mix(in srgb, var(--mantine-color-${color}-9) 30%, var(--mantine-color-body))`
  const background = `light-dark(${usual.background}, ${ground})`
  return { ...usual, background, color: `light-dark(${onLight}, ${onDark})` }
}

export const theme = createTheme({
  variantColorResolver,
  components: {
    // Wide content scrolls inside its container instead of the page.
    GridCol: { defaultProps: { miw: 0 } },
    Alert: { styles: { root: { minWidth: 0 }, body: { minWidth: 0 }, message: { overflowWrap: 'anywhere' } } },
    Badge: { styles: { root: { flexShrink: 0 } } },
    // Adjacent text wraps before a button's label is cut off.
    Button: { styles: { root: { flexShrink: 0 } } },
    // A dialog's header is not a banner landmark.
    Modal: {
      defaultProps: { attributes: { header: { role: 'presentation' } }, closeButtonProps: { 'aria-label': 'Close' } },
    },
    ScrollArea: { defaultProps: { viewportProps: { tabIndex: 0 } } },
  },
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

/** Makes dimmed and warning text meet WCAG AA (4.5 to 1); the default gray and red have 3.3. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6c757d',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a6a7ab',
    '--mantine-color-placeholder': '#909296',
    '--mantine-color-error': '#ff8787',
  },
})
