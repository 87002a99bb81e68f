import { createRoot } from "react-dom/client";
import { session } from "./api/session.ts";
import { App } from "./shell/app.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
await session.begin();
createRoot(root).render(<App />);
