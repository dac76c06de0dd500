import '@mantine/core/styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element for the console.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
