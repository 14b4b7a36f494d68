//! Virtual blocks on the page: the choice in the bar, the stage, and the kernel's text.

use crate::opened_at;

#[tokio::test]
async fn virtual_blocks_lead_the_stage_and_their_loop_is_beside_the_kernel() {
    opened_at("virtual-blocks", "#kernel=spmv&preset=gtx480&technique=VTW&set=max_blocks:1&cycle=900", async |page| {
        page.at(900).await;
        page.until_techniques("VTW").await;
        page.until("document.querySelector('[data-alone=blocks]')?.getAttribute('aria-pressed') === 'true'").await;
        let shown = page.attribute("#blocks", "aria-label").await.unwrap_or_default();
        assert!(shown.contains("runs warp") && shown.contains("is handed out next"), "{shown}");
        page.screenshot("virtual-blocks").await;
        // The kernel before and after: hoisted lines are marked in both texts, the loop's own lines in one.
        page.click_text(".source .tabs button", "Loop").await;
        page.until("document.querySelectorAll('#ptx-lines .line').length > 0").await;
        page.let_frames_pass(4).await;
        page.eval("document.querySelector('#loop-lines').scrollTop = 0").await;
        page.until("document.querySelectorAll('#loop-lines .line.hoisted').length > 0").await;
        page.see("#loop-lines", "next_tb").await;
        page.screenshot("loop").await;
        // Pointing at a line marks the lines of the other text that belong to it.
        let [left, top, ..] = page.place("#loop-lines .line.hoisted").await;
        page.point_at(left + 40.0, top + 10.0).await;
        page.until("document.querySelectorAll('#loop-lines .linked').length > 0").await;
        // Another technique has no such loop: the texts are as before.
        page.follow("#kernel=spmv&preset=gtx480&technique=LRR&set=max_blocks:1&cycle=900").await;
        page.at(900).await;
        page.until("!document.querySelector('#loop-lines') && !!document.querySelector('#cuda')").await;
        // Without virtual blocks, the same panel is shown on request.
        page.until("document.querySelector('.views .view').dataset.panel === 'mechanism'").await;
        page.click("[data-alone=blocks]").await;
        page.until("document.querySelector('.views .view').dataset.panel === 'blocks'").await;
        page.screenshot("blocks-over-time").await;
    })
    .await;
}
